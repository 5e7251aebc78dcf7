"""The equations of links, joints and the stacked system as compiled functions on `Table` and `Work`."""
