// Something of a run that can be seen or not.

import type { Object3D } from "three";

export interface Sight {
  /** In the words of the page, e.g. `Contacts and forces`. */
  readonly name: string;
  readonly object: Object3D;
  /** Whether it is seen at first. */
  readonly shown?: boolean;
  /** Draw what is there at a time [s]; asked also while it is not seen. */
  update(time: number): void;
}
