/** The script of the page at `/dev`, as a browser reads it. A part is drawn again only when it has changed. */
export const script = `
const columns = {
  servers: { Name: 'name', Address: 'url', 'Handles end in': 'domain', 'Password of admin': 'adminPassword', State: 'state' },
  accounts: { Handle: 'handle', Password: 'password', Email: 'email', DID: 'did', Server: 'service' },
  mail: { Time: 'at', To: 'to', Subject: 'subject', Code: 'code' },
  faults: { Fault: 'id', Method: 'nsid', Account: 'account', Effect: 'effect', Calls: 'count' },
  requests: { Time: 'at', Method: 'verb', Path: 'path', Account: 'account', Status: 'status', ms: 'ms' },
}
const drawn = {}

function element(name, text, attributes = {}) {
  const made = document.createElement(name)
  if (text !== undefined) made.textContent = text
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  return made
}

function draw(id, content, data) {
  const text = JSON.stringify(data)
  if (drawn[id] === text) return
  drawn[id] = text
  document.getElementById(id).replaceChildren(content(data))
}

function table(id) {
  return (rows) => {
    if (rows.length === 0) return element('p', 'None', { class: 'none' })
    // The style shows rows as blocks where there is little room: the roles keep the table.
    const head = element('tr', undefined, { role: 'row' })
    for (const title of Object.keys(columns[id]))
      head.append(element('th', title, { scope: 'col', role: 'columnheader' }))
    const body = element('tbody', undefined, { role: 'rowgroup' })
    for (const row of rows) {
      const line = element('tr', undefined, { role: 'row' })
      for (const [title, name] of Object.entries(columns[id]))
        line.append(element('td', String(row[name] ?? ''), { role: 'cell', 'data-title': title }))
      body.append(line)
    }
    const top = element('thead', undefined, { role: 'rowgroup' })
    top.append(head)
    const made = element('table', undefined, { role: 'table', 'aria-labelledby': id + '-title' })
    made.append(top, body)
    // Wide tables are scrolled by the keys as well.
    const frame = element('div', undefined, { class: 'table', tabindex: '0', role: 'group', 'aria-labelledby': id + '-title' })
    frame.append(made)
    return frame
  }
}

async function read(path) {
  const response = await fetch('/dev/' + path)
  if (!response.ok) throw new Error(path + ': ' + response.status)
  return response.json()
}

function stateOf(server) {
  if (!server.isRunning) return 'killed'
  return server.isPaused ? 'paused' : 'running'
}

function effectOf(fault) {
  const names = ['status', 'error', 'message', 'retryAfter', 'latencyMs', 'drop', 'every', 'times']
  return names.filter((name) => fault[name] !== undefined).map((name) => name + ' ' + fault[name]).join(', ')
}

async function refresh() {
  const [servers, clock, accounts, mail, faults, requests] = await Promise.all(
    ['servers', 'clock', 'accounts', 'mail', 'faults', 'requests?limit=50'].map(read),
  )
  const hosts = servers.servers.map((server) => ({
    ...server,
    name: server.server === 0 ? 'PDS_URL' : 'PDS_URL_' + (server.server + 1),
    state: stateOf(server),
  }))
  const stream = location.origin.replace(/^http/, 'ws') + '/subscribe'
  const others = [
    { name: 'PLC_URL', url: location.origin },
    { name: 'STREAM_URL', url: stream },
    { name: 'DEV_URL', url: location.origin },
  ]
  draw('servers', table('servers'), [...hosts, ...others])
  draw('clock', (now) => element('p', now, { class: 'code' }), clock.now)
  draw('accounts', table('accounts'), accounts.accounts)
  draw('mail', table('mail'), mail.messages)
  draw('faults', table('faults'), faults.faults.map((fault) => ({ ...fault, effect: effectOf(fault) })))
  draw('requests', table('requests'), requests.requests.toReversed())
}

async function repeat() {
  const failure = document.getElementById('failure')
  try {
    if (document.getElementById('refresh').checked && document.visibilityState === 'visible') await refresh()
    failure.textContent = ''
  } catch (error) {
    failure.textContent = 'The network does not answer.'
  }
  setTimeout(repeat, 2000)
}

repeat()
`
