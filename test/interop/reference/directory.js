/** `node directory.js PORT`: the reference did:plc directory, in memory. */
import { Database, PlcServer } from '@did-plc/server'

const port = Number(process.argv[2])
await PlcServer.create({ db: Database.mock(), port }).start()
process.stdout.write('ready\n')
