import type { Shape } from "../../world/kinds.ts";
import type { Draw } from "../drawing.ts";
import * as accessories from "./accessories.ts";
import * as bags from "./bags.ts";
import * as lower from "./dresses-bottoms.ts";
import * as home from "./home.ts";
import * as outerwear from "./outerwear.ts";
import * as play from "./play.ts";
import * as shoes from "./shoes.ts";
import * as things from "./things.ts";
import * as tops from "./tops.ts";
import * as underwear from "./underwear.ts";

/** How each thing is drawn. */
export const DRAW_SHAPE: Readonly<Record<Shape, Draw>> = {
  ...tops,
  ...outerwear,
  ...lower,
  ...underwear,
  ...shoes,
  ...bags,
  ...accessories,
  ...things,
  ...play,
  ...home,
};
