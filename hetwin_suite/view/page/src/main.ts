// Starts the parts of hetwin that a page contains.

import { drawFigures } from "./figures";
import { watchRun } from "./live";
import { playAll } from "./playing";

drawFigures();
playAll();
watchRun();
