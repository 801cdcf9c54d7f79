"""Reports: what records come to beside the paper's figures, as tables, words and drawings."""
