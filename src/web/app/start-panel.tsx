import { PanelPages } from "./panel-pages.tsx";
import { start } from "./start.tsx";

start(<PanelPages />);
