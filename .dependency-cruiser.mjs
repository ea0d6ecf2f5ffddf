// The allowed imports between rooms, enforced. ARCHITECTURE.md describes the rooms.
const marketplacePort = ["marketplace/marketplace.ts", "marketplace/errors.ts"];

/** The store's ports: people, market and purchases. */
const storePorts = ["store/store.ts", "store/market-store.ts"];
const purchasePorts = ["store/purchase-store.ts", "store/purchase-facts.ts"];

const mayImport = {
  contract: ["catalogue"],
  catalogue: [],
  domain: ["catalogue"],
  matching: ["domain", "catalogue"],
  presenters: ["contract", "domain", "catalogue"],
  market: [
    "domain",
    "catalogue",
    "matching",
    "purchasing/decide/admit.ts",
    "purchasing/decide/limits.ts",
    ...storePorts,
    ...purchasePorts,
  ],
  marketplace: ["domain", "catalogue"],
  sandbox: ["domain", "catalogue", "marketplace/wire.ts"],
  store: ["domain", "catalogue"],
  auth: ["domain", "catalogue", "store/store.ts"],
  feed: [
    "domain",
    "catalogue",
    "matching",
    ...marketplacePort,
    "marketplace/request-budget.ts",
    "market",
    ...storePorts,
  ],
  purchasing: ["domain", "catalogue", ...marketplacePort, ...storePorts, ...purchasePorts],
  cluster: ["domain", "catalogue", "feed", "marketplace/request-budget.ts", "store/store.ts"],
  alerts: [
    "domain",
    "catalogue",
    "presenters",
    "purchasing/purchasing.ts",
    ...storePorts,
    "store/alert-store.ts",
  ],
  http: [
    "contract",
    "catalogue",
    "domain",
    "presenters",
    "auth",
    "feed",
    "market",
    "purchasing",
    "alerts",
    ...storePorts,
    "store/alert-store.ts",
  ],
  realtime: ["contract", "domain", "presenters", "auth", "feed", ...storePorts],
  web: ["contract", "catalogue"],
  server: [
    "contract",
    "catalogue",
    "domain",
    "market",
    "matching",
    "presenters",
    "marketplace",
    "sandbox",
    "store",
    "auth",
    "feed",
    "purchasing",
    "alerts",
    "cluster",
    "http",
    "realtime",
  ],
  cli: [
    "catalogue",
    "contract",
    "server/config.ts",
    "server/start-refused.ts",
    "server/operator/data-dir.ts",
  ],
};

/** What the simulation and the test helpers may import from the product and from each other. */
const mayVerifyWith = {
  simulation: [
    "domain",
    "catalogue",
    "marketplace",
    "sandbox",
    "store",
    "cluster/node-life.ts",
    "feed",
    "purchasing",
    "http/filter-changes.ts",
    "http/filter-file.ts",
    "server/events.ts",
  ],
  testing: [
    "contract",
    "catalogue",
    "domain",
    "market",
    "matching",
    "marketplace",
    "sandbox",
    "store",
    "server",
  ],
};

const testCode = "[.](test|suite|bench)[.]tsx?$";
const pathOf = (entry) =>
  entry.endsWith(".ts") ? `^src/${entry.replaceAll(".", "[.]")}$` : `^src/${entry}/`;

const roomRules = Object.entries(mayImport).map(([room, allowed]) => ({
  name: `${room}-imports-only-its-neighbours`,
  severity: "error",
  from: { path: `^src/${room}/`, pathNot: testCode },
  to: { path: "^src/", pathNot: [room, ...allowed].map(pathOf) },
}));

const verifyRules = Object.entries(mayVerifyWith).map(([folder, allowed]) => ({
  name: `${folder}-imports-only-what-it-verifies`,
  severity: "error",
  from: { path: `^verify/${folder}/`, pathNot: testCode },
  to: { path: "^(src|verify)/", pathNot: [`^verify/${folder}/`, ...allowed.map(pathOf)] },
}));

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    ...roomRules,
    ...verifyRules,
    {
      name: "every-folder-is-in-the-table",
      severity: "error",
      from: { path: `^src/(?!(${Object.keys(mayImport).join("|")})/)` },
      to: {},
    },
    {
      name: "no-feature-imports-another-feature",
      severity: "error",
      from: { path: "^src/web/features/([^/]+)/" },
      to: { path: "^src/web/features/", pathNot: "^src/web/features/$1/" },
    },
    {
      name: "shared-web-parts-import-no-feature",
      severity: "error",
      from: { path: "^src/web/(ui|api|layout)/" },
      to: { path: "^src/web/(features|app)/" },
    },
    {
      name: "product-imports-no-test-code",
      severity: "error",
      from: { path: "^src/", pathNot: testCode },
      to: { path: ["^verify/", testCode] },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "everything-resolves", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "[.](css|svg|png)$" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "types"] },
  },
};
