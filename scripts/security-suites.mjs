// The security suites, by the names that `npm run security` accepts.

/** @type {Readonly<Record<string, readonly string[]>>} */
export const suites = {
  authorisation: ["verify/security/authorisation.test.ts", "src/http/route-matrix.test.ts"],
  browser: [
    "verify/security/browser-attacks.test.ts",
    "verify/security/old-browser-attacks.test.ts",
    "verify/security/browser-tour.test.ts",
  ],
  fuzz: [
    "verify/security/fuzz-calls.test.ts",
    "verify/security/fuzz-socket.test.ts",
    "verify/security/fuzz-market.test.ts",
    "src/http/fuzz.test.ts",
  ],
  session: ["verify/security/session.test.ts"],
  sockets: ["verify/security/socket-abuse.test.ts"],
  "alert-links": ["verify/security/alert-links.test.ts"],
  leaks: ["verify/security/leaks.test.ts"],
  keys: ["verify/security/keys.test.ts"],
  "personal-data": [
    "verify/security/personal-data.test.ts",
    "verify/security/restore.test.ts",
    "verify/security/erasure-races.test.ts",
  ],
  dependencies: ["verify/security/dependencies.test.ts"],
  sources: ["verify/security/sources.test.ts"],
  crawler: ["verify/security/crawler.test.ts"],
  "slow-clients": ["verify/security/slow-clients.test.ts"],
  egress: ["verify/security/egress.test.ts"],
  failures: ["verify/security/failures.test.ts"],
  neighbours: ["src/cluster/redis.cluster.test.ts", "src/cluster/group-consumer.cluster.test.ts"],
  documents: ["verify/security/documents.test.ts"],
};
