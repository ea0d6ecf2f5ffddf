/**
 * Where every page begins. Two worlds, each loaded alone: the public pages, which a stranger on a phone must see in one
 * breath, and the panel with its router and its component library. This file stays tiny, so that the code of the right
 * world starts to load at once.
 */
import { applyColourScheme } from "../ui/colour-scheme.ts";
import "../ui/tokens.css";
import "../ui/base.css";

applyColourScheme();

if (window.location.pathname.startsWith("/synapse")) await import("./start-panel.tsx");
else await import("./start-public.tsx");
