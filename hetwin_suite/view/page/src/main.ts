// Begins whatever of hetwin a page holds.

import { drawFigures } from "./figures";
import { watchRun } from "./live";
import { playAll } from "./playing";

drawFigures();
playAll();
watchRun();
