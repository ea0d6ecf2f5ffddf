/** Where the public pages begin: what a stranger on a phone must see in one breath, without the component library. */
import "../ui/ground.ts";
import { PublicPages } from "./public-pages.tsx";
import { start } from "./start.tsx";

start(<PublicPages />);
