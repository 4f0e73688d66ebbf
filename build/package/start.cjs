/** Apart from `bin.js`, because an old Node.js cannot parse `import()`. */
'use strict'

const { enableCompileCache } = require('node:module')
const { basename, dirname, join } = require('node:path')

// Keeps compiled code for the next start, which takes 60 ms of CPU and 13 MB less. By default Node.js keeps it in the folder for
// temporary files, where others could replace it. It keeps nothing where the folder is read-only.
const packages = dirname(dirname(__dirname))
if (basename(packages) === 'node_modules') enableCompileCache(join(packages, '.cache/desktop-pds'))

import('./commands.js').catch((error) => {
  process.stderr.write(`${error.stack || error}\n`)
  process.exitCode = 1
})
