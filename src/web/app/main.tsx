/**
 * Where every page begins. Two worlds, each loaded alone: the public pages, which a stranger on a phone must see in one
 * breath, and the panel with its router and its component library. This file stays tiny, so that the code of the right
 * world starts to load at once.
 */
import { applyColourScheme } from "../ui/colour-scheme.ts";
import "../ui/tokens.css";
import "../ui/base.css";

applyColourScheme();

const { pathname } = window.location;
if (pathname.startsWith("/synapse")) {
  const panel = import("./start-panel.tsx");
  // Its first screen travels beside the panel, not after it.
  if (pathname === "/synapse/articles") await import("../features/produits/produits-page.tsx");
  await panel;
} else {
  await import("./start-public.tsx");
}
