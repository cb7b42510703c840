// Probot as a receiver to be measured against: `node server.js PORT memory|disk DIRECTORY`.
// memory: as it ships, the answer promises nothing. disk: the delivery is in SQLite before the 2xx.
import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Probot, Server } from "probot";

const [port, promise, directory] = process.argv.slice(2);

function keeper() {
  const database = new DatabaseSync(join(directory, "inbox.db"));
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = FULL");
  database.exec(
    "CREATE TABLE inbox (number INTEGER PRIMARY KEY, guid TEXT UNIQUE, event TEXT, body TEXT, received_at TEXT)",
  );
  const insert = database.prepare(
    "INSERT OR IGNORE INTO inbox (guid, event, body, received_at) VALUES (?, ?, ?, ?)",
  );
  return ({ id, name, payload }) =>
    insert.run(id, name, JSON.stringify(payload), new Date().toISOString());
}

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
  publicKeyEncoding: { type: "pkcs1", format: "pem" },
});
const server = new Server({
  Probot: Probot.defaults({ appId: 1, privateKey, secret: process.env.SECRET, logLevel: "fatal" }),
  host: "127.0.0.1",
  port: Number(port),
});
await server.load((app) => {
  // The middleware answers once the handlers are done, so what they wrote is there before the 2xx.
  app.onAny(promise === "disk" ? keeper() : () => {});
});
await server.start();
