// Begins whatever of hetwin a page holds.

import { watchRun } from "./live";
import { playAll } from "./player";

playAll();
watchRun();
