// `npm run screenshots -- [folder [word …]]`: takes a screenshot of every view.
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
