// Bodies of async functions that both drivers run as they are.
export const trivial = 'return 1+1'
export const gate = 'await tools.gate({}); return 1'
export const sequential = (count) => `let sum = 0
for (let i = 0; i < ${count}; i++) sum += (await tools.echo({ i })).i
return sum`
export const fanOut = (count) =>
  `return (await Promise.all(Array.from({ length: ${count} }, (_, i) => tools.echo({ i })))).length`
export const spin = (count) => `let x = 0
for (let i = 0; i < ${count}; i++) x = (x + i * 7) % 1000003
return x`

export const compute = {
  fib: `const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2))
return fib(27)`,
  sort: `let seed = 12345
const values = Array.from({ length: 200000 }, () => (seed = (seed * 16807) % 2147483647))
values.sort((a, b) => a - b)
return [values[0], values[100000]]`,
  string: `let text = ''
for (let i = 0; i < 20000; i++) text += 'item ' + i + ': user' + (i % 97) + '@example.com; '
const mails = text.match(/[a-z0-9]+@[a-z]+\\.com/g)
const doubled = text.replace(/item (\\d+)/g, (_, digits) => '#' + digits * 2)
return [mails.length, doubled.length, text.split('; ').length]`,
  json: `let rows = Array.from({ length: 10000 }, (_, i) => ({ id: i, name: 'item ' + i, price: i / 7, active: i % 3 !== 0, tags: ['a', 'b'] }))
let text = ''
for (let round = 0; round < 5; round++) {
  text = JSON.stringify(rows)
  rows = JSON.parse(text)
}
return [text.length, rows.length]`,
  nbody: `const bodies = [
  [0, 0, 0, 0, 0, 0, 39.478],
  [4.8414, -1.1603, -0.1036, 0.6063, 2.8119, -0.0252, 0.0377],
  [8.3433, 4.1247, -0.4035, -1.0108, 1.8257, 0.0084, 0.0113],
  [12.8943, -15.1111, -0.2233, 1.0827, 0.8687, -0.0108, 0.0017],
  [15.3796, -25.9193, 0.1792, 0.9791, 0.5947, -0.0347, 0.002],
].map(([x, y, z, vx, vy, vz, mass]) => ({ x, y, z, vx, vy, vz, mass }))
for (let step = 0; step < 100000; step++) {
  for (let i = 0; i < 5; i++) {
    const a = bodies[i]
    for (let j = i + 1; j < 5; j++) {
      const b = bodies[j]
      const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z
      const square = dx * dx + dy * dy + dz * dz
      const force = 0.001 / (square * Math.sqrt(square))
      a.vx -= dx * b.mass * force; a.vy -= dy * b.mass * force; a.vz -= dz * b.mass * force
      b.vx += dx * a.mass * force; b.vy += dy * a.mass * force; b.vz += dz * a.mass * force
    }
  }
  for (const body of bodies) { body.x += 0.001 * body.vx; body.y += 0.001 * body.vy; body.z += 0.001 * body.vz }
}
return Math.round(bodies[0].x * 1e6)`,
}
