// `npm run screenshots -- [folder [word …]]`: a picture of every view, made with whatever browser the machine has or can bring.
import { join } from "node:path";
import { findBrowser } from "./browser.mjs";
import { node, setUp, tryRun } from "./setup.mjs";

setUp();
const chromium = findBrowser();
process.exit(
  tryRun(node, [join("e2e", "screenshots.ts"), ...process.argv.slice(2)], {
    CHROMIUM_PATH: chromium.path,
    ...chromium.environment,
  }),
);
