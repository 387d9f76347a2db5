"""What an input may cost: above this it is a fault."""

MAX_SECONDS = 10
MAX_MEGABYTES = 1_024
