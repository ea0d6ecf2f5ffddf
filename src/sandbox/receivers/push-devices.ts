/** Test devices: replace a browser and its push service. */
import { createECDH, randomBytes } from "node:crypto";
import { decrypt } from "http_ece";
import { textCell } from "../database/database.ts";
import type { MarketDatabase } from "../database/market-database.ts";

interface PushSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

interface PushDevice {
  readonly name: string;
  /** Decrypts a message; null when the private key is unknown or does not match. */
  read(body: Uint8Array): unknown;
}

export interface PushDevices {
  /** @param origin the endpoint's origin @param keys the caller's own; generated when absent */
  add(
    name: string,
    origin: string,
    keys?: { readonly p256dh: string; readonly auth: string },
  ): PushSubscription;
  find(id: string): PushDevice | null;
}

const CURVE = "prime256v1";
const AUTH_BYTES = 16;
const ID_BYTES = 18;

export function createPushDevices({ sql }: MarketDatabase): PushDevices {
  const insert = sql.prepare("INSERT INTO push_device VALUES (?, ?, ?, ?, ?)");
  const find = sql.prepare("SELECT * FROM push_device WHERE id = ?");
  return {
    add(name, origin, keys) {
      const id = randomBytes(ID_BYTES).toString("base64url");
      const curve = createECDH(CURVE);
      const made = {
        p256dh: curve.generateKeys("base64url"),
        auth: randomBytes(AUTH_BYTES).toString("base64url"),
      };
      const own = keys ?? made;
      insert.run(
        id,
        name,
        keys === undefined ? curve.getPrivateKey("base64url") : null,
        own.p256dh,
        own.auth,
      );
      return { endpoint: `${origin}/push/${id}`, keys: own };
    },
    find(id) {
      const row = find.get(id);
      if (row === undefined) return null;
      const key = row["private_key"];
      return {
        name: textCell(row, "name"),
        read: (body) => (typeof key === "string" ? readMessage(body, key, textCell(row, "auth")) : null),
      };
    },
  };
}

/** Decrypts an RFC 8291 message; null when the keys do not match. */
function readMessage(body: Uint8Array, privateKey: string, authSecret: string): unknown {
  const curve = createECDH(CURVE);
  curve.setPrivateKey(privateKey, "base64url");
  try {
    const plain = decrypt(Buffer.from(body), { version: "aes128gcm", privateKey: curve, authSecret });
    return JSON.parse(plain.toString("utf8"));
  } catch {
    return null;
  }
}
