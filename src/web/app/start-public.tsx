import { PublicPages } from "./public-pages.tsx";
import { start } from "./start.tsx";

start(<PublicPages />);
