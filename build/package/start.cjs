/** Apart from `bin.js`, because an old Node.js cannot parse `import()`. */
'use strict'

import('./commands.js').catch((error) => {
  process.stderr.write(`${error.stack || error}\n`)
  process.exitCode = 1
})
