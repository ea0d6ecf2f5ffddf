// The suites of security, by the names under which `npm run security` runs them.

/** @type {Readonly<Record<string, readonly string[]>>} */
export const suites = {
  authorisation: ["security/authorisation.test.ts", "src/http/route-matrix.test.ts"],
  browser: ["security/browser-attacks.test.ts", "security/browser-tour.test.ts"],
  fuzz: [
    "security/fuzz-calls.test.ts",
    "security/fuzz-socket.test.ts",
    "security/fuzz-market.test.ts",
    "src/http/fuzz.test.ts",
  ],
  sockets: ["security/socket-abuse.test.ts"],
  dependencies: ["security/dependencies.test.ts"],
};
