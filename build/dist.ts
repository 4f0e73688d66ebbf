/** Runs electron-builder on the built program, for `npm run dist`. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { withoutEmptySigningVariables } from './signing.ts'

const root = join(import.meta.dirname, '..')
const builder = join(root, 'node_modules/electron-builder/cli.js')

execFileSync(process.execPath, [builder, '--config', 'build/electron-builder.ts'], {
  cwd: root,
  env: withoutEmptySigningVariables(process.env),
  stdio: 'inherit',
})
