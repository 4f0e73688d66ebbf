/** `node follow.js SERVER DIRECTORY`: follows an event stream with the network's library, which verifies it. Prints JSON lines. */
import { IdResolver } from '@atproto/identity'
import { Firehose } from '@atproto/sync'

const [server, directory] = process.argv.slice(2)
const print = (line) => void process.stdout.write(`${JSON.stringify(line)}\n`)
let cursor = 0

const firehose = new Firehose({
  service: server.replace('http', 'ws'),
  idResolver: new IdResolver({ plcUrl: directory, fetch: globalThis.fetch }),
  getCursor: () => cursor,
  // Handles of .test do not resolve outside of the servers.
  unauthenticatedHandles: true,
  subscriptionReconnectDelay: 100,
  maxReconnectSeconds: 1,
  handleEvent({ event, seq, did, collection, rkey, cid, rev, active, status }) {
    cursor = seq
    print({
      event,
      seq,
      did,
      path: collection && `${collection}/${rkey}`,
      cid: cid?.toString(),
      rev,
      active,
      status,
    })
  },
  onError: (error) =>
    print({ event: 'error', message: `${error.message}: ${error.cause?.message ?? error.cause}` }),
})
print({ event: 'ready' })
await firehose.start()
