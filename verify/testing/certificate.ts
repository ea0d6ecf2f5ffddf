import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A self-signed certificate and its key, both PEM, for test servers. */
export interface SelfSigned {
  readonly cert: string;
  readonly key: string;
}

interface CertificateTraits {
  /** The DNS name that it is valid for. */
  readonly name: string;
  readonly from: Date;
  readonly until: Date;
}

/** Encodes X.509 as DER by hand, because Node parses certificates but cannot create them. */
export function selfSigned({ name, from, until }: CertificateTraits): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid("2a8648ce3d040302"));
  const person = sequence(tlv(0x31, sequence(oid("550403"), tlv(0x0c, Buffer.from(name)))));
  const isAuthority = sequence(oid("551d13"), tlv(0x04, sequence(tlv(0x01, Buffer.of(0xff)))));
  const names = sequence(oid("551d11"), tlv(0x04, sequence(tlv(0x82, Buffer.from(name)))));
  const content = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    person,
    sequence(moment(from), moment(until)),
    person,
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, sequence(isAuthority, names)),
  );
  const signature = tlv(0x03, Buffer.concat([Buffer.of(0), sign("sha256", content, privateKey)]));
  // Lines of 64 characters, none empty: the length of a signature varies.
  const lines =
    sequence(content, algorithm, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
}

function tlv(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), content]);
}

const sequence = (...contents: readonly Buffer[]): Buffer => tlv(0x30, ...contents);
const oid = (hexadecimal: string): Buffer => tlv(0x06, Buffer.from(hexadecimal, "hex"));

/** UTCTime, YYMMDDHHMMSSZ: works until 2049. */
function moment(at: Date): Buffer {
  return tlv(0x17, Buffer.from(`${at.toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`));
}
