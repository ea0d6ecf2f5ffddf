import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** A port of this machine that nobody had a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (!isInet(address)) throw new Error("no port is free");
  return address.port;
}

function isInet(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
