/** Web push (RFC 8030, 8291, 8292). */
import { createECDH } from "node:crypto";
import webPush from "web-push";
import { z } from "zod";
import { Secret } from "#domain/secret.ts";
import { presentAlertType } from "#presenters/alerte.ts";
import type { VapidKeys } from "#store/alert-store.ts";
import type { Channel, OutgoingAlert } from "../../channel.ts";
import { createPoster, outcomeOf } from "../../post.ts";

const GONE = [404, 410];

const subscription = z.object({
  endpoint: z.string(),
  keys: z.object({ p256dh: z.string(), auth: z.string() }),
});
export type PushSubscription = z.infer<typeof subscription>;

const HOSTS: readonly string[] = [
  "fcm.googleapis.com",
  "android.googleapis.com",
  "updates.push.services.mozilla.com",
];
const DOMAINS: readonly string[] = [".notify.windows.com", ".push.apple.com"];

/** Whether the address is a known push service: a person's input must not choose which host is called. */
export function isPushService(endpoint: string, sandboxOrigins: readonly string[]): boolean {
  const url = URL.parse(endpoint);
  if (url === null || `${url.username}${url.password}${url.hash}` !== "") return false;
  if (sandboxOrigins.includes(url.origin)) return url.pathname.startsWith("/push/");
  if (url.protocol !== "https:" || url.port !== "") return false;
  return HOSTS.includes(url.hostname) || DOMAINS.some((domain) => url.hostname.endsWith(domain));
}

const P256_POINT_BYTES = 65;
const AUTH_BYTES = 16;
const BASE64URL = /^[\w-]+=*$/u;

/** The keys must be a point on the curve P-256 and 16 bytes. */
function hasUsableKeys({ keys }: PushSubscription): boolean {
  if (!BASE64URL.test(keys.p256dh) || !BASE64URL.test(keys.auth)) return false;
  const point = Buffer.from(keys.p256dh, "base64url");
  if (point.length !== P256_POINT_BYTES || Buffer.from(keys.auth, "base64url").length !== AUTH_BYTES)
    return false;
  const curve = createECDH("prime256v1");
  curve.generateKeys();
  try {
    curve.computeSecret(point);
    return true;
  } catch {
    return false;
  }
}

/** A subscription as it is stored; null if its service or its keys are not acceptable. */
export function readSubscription(given: PushSubscription, sandboxOrigins: readonly string[]): Secret | null {
  if (!isPushService(given.endpoint, sandboxOrigins) || !hasUsableKeys(given)) return null;
  const { endpoint, keys } = given;
  return new Secret(JSON.stringify({ endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } }));
}

/** Identifies the device of a subscription. */
export function endpointOf(address: Secret): string {
  return subscription.parse(JSON.parse(address.reveal())).endpoint;
}

export function makeVapidKeys(): VapidKeys {
  return webPush.generateVAPIDKeys();
}

export function createPush(options: {
  readonly keys: VapidKeys;
  /** Contact for push services: an https address or a mailbox. */
  readonly subject: string;
  readonly sandboxOrigins: readonly string[];
}): Channel {
  const poster = createPoster();
  return {
    async send(address, alert) {
      const target = subscription.parse(JSON.parse(address.reveal()));
      if (!isPushService(target.endpoint, options.sandboxOrigins)) return { kind: "gone" };
      try {
        const { endpoint, headers, body } = webPush.generateRequestDetails(target, payloadOf(alert), {
          vapidDetails: { subject: options.subject, ...options.keys },
          TTL: alert.ttlS,
          urgency: alert.isLoud ? "high" : "normal",
          topic: alert.mark,
          contentEncoding: "aes128gcm",
        });
        return outcomeOf(await poster.post(endpoint, { headers: headersOf(headers), body }), GONE);
      } catch (error) {
        // The subscription's keys are invalid.
        return error instanceof webPush.WebPushError ? { kind: "gone" } : { kind: "refused" };
      }
    },
    [Symbol.asyncDispose]: () => poster[Symbol.asyncDispose](),
  };
}

/** Without Content-Length, which the HTTP client sets. */
function headersOf(headers: object): Readonly<Record<string, string>> {
  const texts = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return Object.fromEntries(texts.filter(([name]) => name.toLowerCase() !== "content-length"));
}

/** The payload for the service worker (contract, "Messages"). */
function payloadOf({ type, message, isLoud, mark, url, listing }: OutgoingAlert): string {
  return JSON.stringify({
    type: presentAlertType(type),
    titre: message.title,
    corps: message.body,
    sonore: isLoud,
    marque: mark,
    url,
    actions:
      listing === null
        ? []
        : [
            { action: "acheter", titre: listing.buyLabel, url },
            { action: "voir", titre: "Voir", url: listing.marketUrl },
          ],
  });
}
