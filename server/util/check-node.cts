/**
 * Ends the program with one line on a Node.js that is too old. Imported before all else, and ES5, so that an old Node.js can run it.
 * `engines` in package.json says the same.
 */
/** The oldest minor version that works, by major version. Later major versions all work. */
var oldest: { [major: string]: number } = { 22: 21, 24: 9 }
var newest = 24

var version = process.versions.node.split('.')
var major = Number(version[0])
var minor = oldest[major]

if ((major < newest && minor === undefined) || (minor !== undefined && Number(version[1]) < minor)) {
  process.stderr.write(
    'Desktop PDS needs Node.js 22.21 and later of 22, or 24.9 and later. This is Node.js ' +
      process.versions.node +
      '.\n',
  )
  process.exit(1)
}
