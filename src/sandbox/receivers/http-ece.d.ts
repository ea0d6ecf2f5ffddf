/** The part of http_ece that the sandbox uses. */
declare module "http_ece" {
  import type { ECDH } from "node:crypto";

  export function decrypt(
    buffer: Buffer,
    parameters: {
      readonly version: "aes128gcm";
      readonly privateKey: ECDH;
      /** base64url */
      readonly authSecret: string;
    },
  ): Buffer;
}
