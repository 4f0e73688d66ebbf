/** `npm run serve`, with a check that an old Node.js passes before it reads the server, which it could not parse. */
import './util/check-node.cts'

await import('./operation/cli/serve.ts')
