// Draws one or more casts of bodies with one canvas and one camera, on request instead of continuously.

import {
  AmbientLight,
  Box3,
  Color,
  DirectionalLight,
  HemisphereLight,
  PerspectiveCamera,
  Scene as World,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Block } from "./block";
import { Cast } from "./cast";
import type { Scene } from "./scene";

const FIELD_DEG = 40;
/** Initial direction of view: from above and from the front right. */
const INITIAL_VIEW = new Vector3(1.0, -1.25, 0.85).normalize();
const MAX_PIXEL_RATIO = 2;

/** An area of the page in which scenes are drawn. */
export class Stage {
  readonly world = new World();
  readonly camera = new PerspectiveCamera(FIELD_DEG, 1, 0.01, 500);
  readonly controls: OrbitControls;
  readonly casts: Cast[] = [];
  /** Called before each drawing, for example to move the camera. */
  readonly beforeDrawing: (() => void)[] = [];
  readonly #renderer: WebGLRenderer | undefined;
  #asked = 0;
  #apart = false;

  /** Draw into an element, which determines the size; if the browser cannot draw, the element shows a message. */
  constructor(readonly element: HTMLElement) {
    this.#renderer = rendererIn(element);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.#renderer?.domElement ?? element);
    this.controls.addEventListener("change", () => this.drawSoon());
    this.#light();
    new ResizeObserver(() => this.#resize()).observe(element);
    this.#resize();
  }

  /** Add the bodies of a run; they are drawn once their poses have been set. */
  add(scene: Scene, block: Block<unknown>): Cast {
    const cast = new Cast(scene, block);
    this.casts.push(cast);
    this.world.add(cast.group);
    return cast;
  }

  /** Whether each cast is drawn in a part of the area of its own, all from the same point of view. */
  get apart(): boolean {
    return this.#apart;
  }

  set apart(apart: boolean) {
    this.#apart = apart;
    this.#resize();
  }

  /** Look at a box from the initial direction of view. */
  look(box: Box3): void {
    if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 0.5));
    const centre = box.getCenter(new Vector3());
    const radius = Math.max(0.05, 0.5 * box.getSize(new Vector3()).length());
    const narrow = Math.min(1, this.camera.aspect);
    const away = radius / Math.sin((FIELD_DEG / 2) * (Math.PI / 180)) / narrow;
    this.camera.near = away / 200;
    this.camera.far = away * 60;
    this.camera.updateProjectionMatrix();
    this.camera.position.copy(centre).addScaledVector(INITIAL_VIEW, away);
    this.controls.target.copy(centre);
    this.controls.update();
  }

  /** Draw now. */
  draw(): void {
    for (const prepare of this.beforeDrawing) prepare();
    const renderer = this.#renderer;
    renderer?.setScissorTest(this.#apart);
    if (!this.#apart) renderer?.render(this.world, this.camera);
    else if (renderer) this.casts.forEach((cast, i) => this.#drawPart(renderer, cast, i));
  }

  /** Draw a cast into its part of the area; the parts are side by side, or below each other if the area is narrow. */
  #drawPart(renderer: WebGLRenderer, cast: Cast, i: number): void {
    const { width, height, across } = this.#part();
    const [x, y] = across ? [i * width, 0] : [0, (this.casts.length - 1 - i) * height];
    renderer.setViewport(x, y, width, height);
    renderer.setScissor(x, y, width, height);
    for (const other of this.casts) other.group.visible = other === cast;
    renderer.render(this.world, this.camera);
    for (const other of this.casts) other.group.visible = true;
  }

  /** Size of the part of a cast, and whether the parts are side by side. */
  #part(): { width: number; height: number; across: boolean } {
    const { clientWidth: width, clientHeight: height } = this.element;
    const count = this.#apart ? this.casts.length : 1;
    const across = width >= height;
    return { width: across ? width / count : width, height: across ? height : height / count, across };
  }

  /** Draw in the next animation frame of the browser. */
  drawSoon(): void {
    if (this.#asked) return;
    this.#asked = requestAnimationFrame(() => {
      this.#asked = 0;
      this.draw();
    });
  }

  #light(): void {
    const sun = new DirectionalLight(new Color(1, 0.98, 0.95), 1.9);
    sun.position.set(3, -4, 8);
    this.world.add(sun, new HemisphereLight(0xf2f5ff, 0x8c8378, 1.5), new AmbientLight(0xffffff, 0.35));
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    const part = this.#part();
    this.camera.aspect = part.width / part.height;
    this.camera.updateProjectionMatrix();
    this.#renderer?.setSize(width, height);
    this.#renderer?.setViewport(0, 0, width, height);
    this.draw();
  }
}

/** The renderer for an element; undefined if the browser cannot draw, in which case the element shows a message. */
function rendererIn(element: HTMLElement): WebGLRenderer | undefined {
  try {
    const renderer = new WebGLRenderer({ antialias: true, alpha: true });
    renderer.setPixelRatio(Math.min(window.devicePixelRatio, MAX_PIXEL_RATIO));
    renderer.domElement.style.display = "block";
    element.append(renderer.domElement);
    return renderer;
  } catch {
    element.textContent = "This browser cannot draw the scene: it has no WebGL.";
    return undefined;
  }
}
