"""What tries are made of: files, bytes, texts and surroundings."""
