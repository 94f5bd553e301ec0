"""Pure decisions: values in, values out; time and randomness are arguments."""
