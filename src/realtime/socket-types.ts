import type { DefaultEventsMap, Server, Socket } from "socket.io";
import type { ClientToServer, ServerToClient } from "#contract/socket.ts";
import type { Admission } from "./admission.ts";

/** The product's data of an admitted socket. */
interface SocketData {
  admission?: Admission;
}

export type SocketServer = Server<ClientToServer, ServerToClient, DefaultEventsMap, SocketData>;
export type ClientSocket = Socket<ClientToServer, ServerToClient, DefaultEventsMap, SocketData>;

/** The connection below a socket, one for all of a client's transports. */
export type EngineConnection = ClientSocket["conn"];
