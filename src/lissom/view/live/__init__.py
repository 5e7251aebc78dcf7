"""The live page: an arm in the browser, moved by a recorded run, by hand, or along its natural modes."""
