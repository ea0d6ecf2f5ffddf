/** What stands under every page before anything is drawn: the tokens, the base of all styles, the chosen colours. */
import { applyColourScheme } from "./colour-scheme.ts";
import "./tokens.css";
import "./base.css";

applyColourScheme();
