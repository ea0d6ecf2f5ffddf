import { createECDH, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { endpointOf, isPushService, readSubscription } from "./push.ts";

const SANDBOX = ["http://127.0.0.1:3900", "http://localhost:3900"];

function aSubscription(endpoint = "https://fcm.googleapis.com/fcm/send/abc") {
  const curve = createECDH("prime256v1");
  const keys = { p256dh: curve.generateKeys("base64url"), auth: randomBytes(16).toString("base64url") };
  return { endpoint, keys };
}

test.each([
  ["https://fcm.googleapis.com/fcm/send/abc", true],
  ["https://android.googleapis.com/gcm/send/abc", true],
  ["https://updates.push.services.mozilla.com/wpush/v2/abc", true],
  ["https://db5p.notify.windows.com/w/?token=abc", true],
  ["https://web.push.apple.com/abc", true],
  ["https://web.push.apple.com:443/abc", true],
  ["http://127.0.0.1:3900/push/abc", true],
  ["http://localhost:3900/push/abc", true],
  ["http://fcm.googleapis.com/fcm/send/abc", false],
  ["https://fcm.googleapis.com:8443/fcm/send/abc", false],
  ["https://fcm.googleapis.com.evil.example/abc", false],
  ["https://evil.example/fcm.googleapis.com", false],
  ["https://fcm.googleapis.com@evil.example/abc", false],
  ["https://user:pass@fcm.googleapis.com/abc", false],
  ["https://evilnotify.windows.com/abc", false],
  ["https://notify.windows.com.evil.example/abc", false],
  ["https://push.apple.com.evil.example/abc", false],
  ["http://127.0.0.1:3900/control/faults", false],
  ["http://127.0.0.1:3900/push/../control/faults", false],
  ["http://127.0.0.1:3901/push/abc", false],
  ["http://169.254.169.254/push/latest", false],
  ["http://[::1]:3900/push/abc", false],
  ["file:///push/abc", false],
  ["javascript:alert(1)", false],
  ["", false],
])("only known push services and the sandbox's own receive pushes: %s", (endpoint, isKnown) => {
  expect(isPushService(endpoint, SANDBOX)).toBe(isKnown);
  expect(readSubscription(aSubscription(endpoint), SANDBOX) !== null).toBe(isKnown);
  // Outside of the sandbox its address is not accepted.
  if (endpoint.startsWith("http:")) expect(isPushService(endpoint, [])).toBe(false);
});

test("keys are a point on the curve P-256 and sixteen bytes: anything else is rejected", () => {
  const good = aSubscription();
  const kept = readSubscription(good, []);
  expect(kept === null ? null : endpointOf(kept)).toBe(good.endpoint);
  const offTheCurve = Buffer.from(good.keys.p256dh, "base64url");
  offTheCurve[64] = (offTheCurve[64] ?? 0) ^ 1;
  for (const keys of [
    { ...good.keys, p256dh: offTheCurve.toString("base64url") },
    { ...good.keys, p256dh: Buffer.alloc(65, 4).toString("base64url") },
    { ...good.keys, p256dh: good.keys.p256dh.slice(0, 40) },
    { ...good.keys, p256dh: "not base64url!" },
    { ...good.keys, auth: randomBytes(15).toString("base64url") },
    { ...good.keys, auth: randomBytes(17).toString("base64url") },
    { ...good.keys, auth: "" },
  ])
    expect(readSubscription({ ...good, keys }, [])).toBeNull();
});
