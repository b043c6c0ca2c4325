// A sight: a part of the display of a run that can be switched on and off.

import type { Object3D } from "three";

export interface Sight {
  /** Label on the page, such as `Contacts and forces`. */
  readonly name: string;
  readonly object: Object3D;
  /** Whether it is initially shown. */
  readonly shown?: boolean;
  /** Update it for a time [s]; also called while it is hidden. */
  update(time: number): void;
}
