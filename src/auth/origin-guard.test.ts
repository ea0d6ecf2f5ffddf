import { expect, test } from "vitest";
import { isHostOf, isOwnRequest, type RequestHeaders, type RequestKind } from "./origin-guard.ts";

const PUBLIC_URL = "http://localhost:3000";
const OURS = "http://localhost:3000";

const cors = { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };
const sameOrigin = { "sec-fetch-site": "same-origin", ...cors };
const navigation = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

type Verdicts = Readonly<Record<RequestKind, boolean>>;
const ALL: Verdicts = { action: true, read: true, navigation: true };
const NONE: Verdicts = { action: false, read: false, navigation: false };
const NAVIGATION_ONLY: Verdicts = { ...NONE, navigation: true };
const ALL_BUT_ACTION: Verdicts = { ...ALL, action: false };

/** Sender, headers and permissions: the whole policy as a table. */
const table: readonly (readonly [string, RequestHeaders, Verdicts])[] = [
  // No browser, or one without fetch metadata.
  ["curl", {}, ALL],
  ["an old browser's own GET", { referer: `${OURS}/synapse/articles` }, ALL],
  ["an old browser's own POST", { origin: OURS }, ALL],
  ["an old browser's image from another port", { referer: "http://localhost:4000/" }, NAVIGATION_ONLY],
  ["an old browser's image from a twin", { referer: `${OURS}.evil.example/` }, NAVIGATION_ONLY],
  ["an old browser's broken referer", { referer: "about:client" }, NAVIGATION_ONLY],
  ["an old browser's cross-site POST", { origin: "https://evil.example" }, NAVIGATION_ONLY],
  ["an old browser's POST from another port", { origin: "http://localhost:4000" }, NAVIGATION_ONLY],
  ["a sandboxed frame's POST", { origin: "null" }, NAVIGATION_ONLY],

  // The product's own pages.
  ["our fetch GET", sameOrigin, ALL],
  ["our fetch POST", { ...sameOrigin, origin: OURS }, ALL],
  ["our fetch in same-origin mode", { ...sameOrigin, "sec-fetch-mode": "same-origin" }, ALL],
  ["our link to a call", { "sec-fetch-site": "same-origin", ...navigation }, ALL_BUT_ACTION],
  ["our form", { "sec-fetch-site": "same-origin", ...navigation, origin: OURS }, ALL_BUT_ACTION],
  [
    "an image on our page",
    { "sec-fetch-site": "same-origin", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
    ALL_BUT_ACTION,
  ],
  [
    "a script on our page",
    { "sec-fetch-site": "same-origin", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" },
    ALL_BUT_ACTION,
  ],
  [
    "a beacon of our page",
    { "sec-fetch-site": "same-origin", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty" },
    ALL_BUT_ACTION,
  ],
  [
    "a frame on our page",
    { "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
    ALL_BUT_ACTION,
  ],
  ["our fetch that names only its site", { "sec-fetch-site": "same-origin" }, ALL],
  ["our fetch with a foreign origin", { ...sameOrigin, origin: "https://evil.example" }, NAVIGATION_ONLY],

  // A typed address or a bookmark.
  ["a typed address", { "sec-fetch-site": "none", ...navigation }, ALL_BUT_ACTION],
  ["a fetch of no site", { "sec-fetch-site": "none", ...cors }, ALL_BUT_ACTION],

  // Another site.
  ["a cross-site link", { "sec-fetch-site": "cross-site", ...navigation }, NAVIGATION_ONLY],
  [
    "a cross-site form",
    { "sec-fetch-site": "cross-site", ...navigation, origin: "https://evil.example" },
    NAVIGATION_ONLY,
  ],
  ["a cross-site fetch", { "sec-fetch-site": "cross-site", ...cors, origin: "https://evil.example" }, NONE],
  ["a cross-site fetch without origin", { "sec-fetch-site": "cross-site", ...cors }, NONE],
  [
    "a cross-site no-cors fetch",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty" },
    NONE,
  ],
  [
    "a cross-site image",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
    NONE,
  ],
  [
    "a cross-site script",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" },
    NONE,
  ],
  [
    "a cross-site frame",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
    NAVIGATION_ONLY,
  ],
  ["a cross-site request that names only its site", { "sec-fetch-site": "cross-site" }, NAVIGATION_ONLY],
  [
    "a cross-site request that claims our origin",
    { "sec-fetch-site": "cross-site", origin: OURS },
    NAVIGATION_ONLY,
  ],

  // The same site on another port, to which Strict cookies are sent.
  ["another port's link", { "sec-fetch-site": "same-site", ...navigation }, NAVIGATION_ONLY],
  ["another port's fetch", { "sec-fetch-site": "same-site", ...cors, origin: "http://localhost:4000" }, NONE],
  ["another port's fetch without origin", { "sec-fetch-site": "same-site", ...cors }, NONE],
  [
    "another port's image",
    { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
    NONE,
  ],
  ["a sandboxed frame's fetch", { "sec-fetch-site": "cross-site", ...cors, origin: "null" }, NONE],

  // Origins that resemble the public one, without fetch metadata.
  ["an origin with our host in front", { origin: "http://localhost:3000.evil.example" }, NAVIGATION_ONLY],
  ["an origin with our host as a user", { origin: "http://localhost:3000@evil.example" }, NAVIGATION_ONLY],
  ["our host under another scheme", { origin: "https://localhost:3000" }, NAVIGATION_ONLY],
  ["our host without its port", { origin: "http://localhost" }, NAVIGATION_ONLY],
  ["our address with a slash", { origin: "http://localhost:3000/" }, NAVIGATION_ONLY],
  ["an empty origin", { origin: "" }, NAVIGATION_ONLY],
  ["two origins in one", { origin: `${OURS}, https://evil.example` }, NAVIGATION_ONLY],
  ["two origins as a list", { origin: [OURS, OURS] }, NAVIGATION_ONLY],

  // Headers that no browser sends.
  ["an unknown site", { "sec-fetch-site": "friendly" }, NAVIGATION_ONLY],
  ["an empty site", { "sec-fetch-site": "" }, NAVIGATION_ONLY],
  ["two sites", { "sec-fetch-site": ["same-origin", "cross-site"] }, NAVIGATION_ONLY],
  ["a site in capitals", { "sec-fetch-site": "Same-Origin" }, NAVIGATION_ONLY],
];

test.each(table)("isOwnRequest() judges %s", (_who, headers, verdicts) => {
  const kinds: readonly RequestKind[] = ["action", "read", "navigation"];
  expect(Object.fromEntries(kinds.map((kind) => [kind, isOwnRequest(headers, PUBLIC_URL, kind)]))).toEqual(
    verdicts,
  );
});

test("isOwnRequest() takes a default port in the public address for the browser's way of writing it", () => {
  expect(isOwnRequest({ origin: "https://synapse.example" }, "https://synapse.example:443", "action")).toBe(
    true,
  );
  expect(isOwnRequest({ origin: "https://synapse.example" }, "https://Synapse.Example/", "action")).toBe(
    true,
  );
});

test("isHostOf() takes the public address' own host, its default port written or not", () => {
  expect(isHostOf("localhost:3000", "http://localhost:3000")).toBe(true);
  expect(isHostOf("LOCALHOST:3000", "http://localhost:3000")).toBe(true);
  expect(isHostOf("synapse.example:443", "https://synapse.example")).toBe(true);
  expect(isHostOf("synapse.example", "https://synapse.example:443")).toBe(true);
  expect(isHostOf("[::1]:3000", "http://[::1]:3000")).toBe(true);
});

test.each([
  "",
  "localhost",
  "localhost:30000",
  "127.0.0.1:3000",
  "localhost:3000.evil.example",
  "localhost:3000@evil.example",
  "evil.example#localhost:3000",
  "localhost:3000/",
  "localhost:3000, evil.example",
  "localhost:99999",
])("isHostOf() refuses %j", (host) => {
  expect(isHostOf(host, "http://localhost:3000")).toBe(false);
});
