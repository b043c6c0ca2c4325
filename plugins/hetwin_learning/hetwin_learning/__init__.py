"""What episodes teach: thresholds of triggers and models, and how often actions succeed."""
