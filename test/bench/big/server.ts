/**
 * `node server.ts`: the built server, which makes backups by message. The message is `backup`, or the file of a one-file backup;
 * the reply comes when it is made.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const built = (path: string) => import(pathToFileURL(join(import.meta.dirname, '../../../dist', path)).href)
const { startServer }: typeof import('../../../server/server.ts') = await built('server/server.js')
const { readConfig }: typeof import('../../../server/platform/config/config.ts') = await built(
  'server/platform/config/config.js',
)
const { makeBackup }: typeof import('../../../server/operation/replicas/local/backups.ts') = await built(
  'server/operation/replicas/local/backups.js',
)
const { createLogger }: typeof import('../../../server/util/log.ts') = await built('server/util/log.js')

const config = readConfig({ env: process.env, args: [] })
const server = await startServer(config, { log: createLogger(config.logLevel) })
const { store } = server.services

process.on('message', async (message: string) => {
  if (message === 'backup') await makeBackup({ dataDir: config.dataDir, now: () => new Date(), store })
  else await store.export(message)
  process.send?.('made')
})
process.once('SIGTERM', async () => {
  await server.close()
  process.exit()
})
process.stdout.write(`listening on ${server.url}\n`)
