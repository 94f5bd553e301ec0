"""What should happen. Pure: values in, values out; time and randomness are arguments."""
