package viz

// DrawnSVG lets tests count marks, each of which vgsvg writes as an element of its own.
var DrawnSVG = drawnSVG
