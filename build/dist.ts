/** `npm run dist`: packages the built program with electron-builder. */
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
