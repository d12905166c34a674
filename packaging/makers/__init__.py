"""The makers of packages, one file for each kind."""
