// The suites of security, by the names under which `npm run security` runs them.

/** @type {Readonly<Record<string, readonly string[]>>} */
export const suites = {
  authorisation: ["security/authorisation.test.ts", "src/http/route-matrix.test.ts"],
  browser: [
    "security/browser-attacks.test.ts",
    "security/old-browser-attacks.test.ts",
    "security/browser-tour.test.ts",
  ],
  fuzz: [
    "security/fuzz-calls.test.ts",
    "security/fuzz-socket.test.ts",
    "security/fuzz-market.test.ts",
    "src/http/fuzz.test.ts",
  ],
  session: ["security/session.test.ts"],
  sockets: ["security/socket-abuse.test.ts"],
  leaks: ["security/leaks.test.ts"],
  keys: ["security/keys.test.ts"],
  "personal-data": [
    "security/personal-data.test.ts",
    "security/restore.test.ts",
    "security/erasure-races.test.ts",
  ],
  dependencies: ["security/dependencies.test.ts"],
  sources: ["security/sources.test.ts"],
  crawler: ["security/crawler.test.ts"],
  "slow-clients": ["security/slow-clients.test.ts"],
  egress: ["security/egress.test.ts"],
  failures: ["security/failures.test.ts"],
  neighbours: ["src/cluster/signatures.test.ts", "src/server/hostile-redis.cluster.test.ts"],
  documents: ["security/documents.test.ts"],
};
