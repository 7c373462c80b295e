//! A rendered board that plays a script: the embedded camera of the demo, of training and of tests.
//!
//! Enters: a script (a game and timed happenings). Leaves: pictures (RGB bytes) and the truth of each. It may never know of vision.
