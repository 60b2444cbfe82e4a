"use strict";
/* A recorded run in a file of its own. */

(async () => {
  const packed = bytes(document.getElementById("run").textContent.trim());
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const run = JSON.parse(await new Response(unpacked).text());
  const player = new Player(document.getElementById("lanes"), run.board, run.title);
  player.again(run.frames.length);
  for (const frame of run.frames) player.add(frame);
  player.settle();
})();
