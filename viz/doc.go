// Package viz is how things look: learning curves, scatters of embeddings, bars, points on the unit circle, clusters
// with their centers, Gaussians and boundaries in the plane, distributions, matrices, confusions, reliability, tables of
// accuracies, rows of small images, an embedding that moves while it trains and a progress line, all in one house style,
// and one way to show each of them in a notebook.
//
// A figure starts from plain slices and ends as a [Drawer]: a *plot.Plot of gonum.org/v1/plot for [LearningCurves],
// [Scatter], [Boundaries], [AlignmentUniformity], [Bars], [StackedBars], [GroupedBars], [Distributions], [Heatmap],
// [UnitCircle] and [Clusters], which stays open to every change that gonum/plot offers; a [Drawing] for what has no axes
// ([Table], [Confusion], [ImageGrid], [ImageTable], [SquareGrid]); a [Composite] of several ([Panels], [Column],
// [TrainingCurves], [Reliability]); or an [Animation] ([Embeddings]). Title, labels and size of a plot are a [Figure],
// which its configuration embeds. [Show] puts a figure into a notebook, with the alternative text that it asks for; [Save]
// writes it to a file and is the only function here that writes one. Every function copies the data it is given, and
// returns an error that wraps one of the Err values where the data cannot be drawn. What is drawn is computed elsewhere.
//
//	p, err := viz.LearningCurves(viz.CurvesConfig{Figure: viz.Figure{Title: "Training loss"}, Smooth: 20}, curves...)
//	…
//	err = viz.Show(p, "The loss of PUCL falls from 6.2 to 4.9 in 400 steps; that of ssCL stays above 5.4.")
//
// # The house style
//
// White background, dark gray text of 11 points or more, a light grid, sizes in points (1/72 inch). Colors come
// from the palette of Okabe and Ito, which stays readable with the common forms of color blindness; two of them
// are darkened and yellow is left out, so that every mark has a contrast of 3:1 or more against the page. No
// meaning rests on color alone: each series has a marker and a line style of its own. The parts that an example
// can play in learning from positive and unlabeled data, and the losses of this project, keep their look from
// figure to figure (see [StyleFor]). The legend lies to the right of the data or, where Legend.Top of the plot is
// set, above it; it never covers the data. Signs of formulas that the font lacks are drawn as lines; any other letter that it
// lacks is an error rather than an empty box.
//
// In the dark themes of JupyterLab, and of pages made of notebooks, the same figure is shown with its lightness turned over
// and its hues kept, so that it is light on dark with contrasts as before. Figures with pictures in them stay on white, and so
// does everything where the viewer drops styles.
//
// This package imports neither the loss functions nor the engine that runs them, so that a notebook cell that only
// draws is quick to compile.
package viz
