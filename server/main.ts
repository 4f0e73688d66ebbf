import { com } from '../lexicons/generated/index.ts'

process.stdout.write(`${com.core.server.createAppPassword.$nsid}\n`)
