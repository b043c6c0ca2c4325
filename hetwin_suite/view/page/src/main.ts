// Begins whatever of hetwin a page holds.

import { playAll } from "./player";

playAll();
