"""Methods that only the tables of the paper need: functions from `Inputs`, and options by keyword, to a tree."""
