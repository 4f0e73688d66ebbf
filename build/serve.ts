/** `npm run serve`: the server takes the place of this process, or is its child on Windows. */
import { spawn } from 'node:child_process'
import { serverArgs, serverEnv } from './server-args.ts'

const args = [...serverArgs, ...process.argv.slice(2)]
if (process.execve && process.platform !== 'win32') {
  process.execve(process.execPath, [process.execPath, ...args], serverEnv)
}
const server = spawn(process.execPath, args, { env: serverEnv, stdio: 'inherit' })
// Ctrl+C reaches the child too, which ends first.
process.on('SIGINT', () => {})
server.on('exit', (code) => process.exit(code ?? 1))
